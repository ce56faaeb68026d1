import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A test suite of an integration with the API, in Java 17 without libraries. Exits with 0 or 1.
 *
 * <p>{@code java Suite.java} is the robust client; {@code java Suite.java ignores-status}, {@code no-timeout} or
 * {@code retries-with-new-ids} has one weakness and checks only what the client reports.
 */
public final class Suite {
    static final String PROJECT = "north";
    static final String EXPECTED_FAILURE = "asyncImportJobs FAIL-GEOCODE-1";
    static final Set<String> VARIANTS = Set.of("robust", "ignores-status", "no-timeout", "retries-with-new-ids");

    public static void main(String[] args) throws Exception {
        String variant = args.length == 0 ? "robust" : args[0];
        if (!VARIANTS.contains(variant)) {
            System.err.println("expected one of " + new TreeSet<>(VARIANTS) + "; got " + variant);
            System.exit(2);
        }
        List<String> problems;
        try {
            problems = run(variant);
        } catch (ApiException error) {
            problems = List.of(error.getMessage());
        }
        problems.forEach(problem -> System.err.println("failed: " + problem));
        if (problems.isEmpty()) System.out.println("passed");
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    static List<String> run(String variant) throws Exception {
        Client client = new Client(variant);
        Receiver receiver = new Receiver(client);
        Sandbox.control("PUT", "/callback-endpoint", "{\"url\":\"" + receiver.url() + "\"}");
        work(client);

        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(6);
        while (Sandbox.isPending() && receiver.rejected.isEmpty() && System.nanoTime() < deadline) receiver.await(20);

        List<String> problems = new ArrayList<>();
        client.failures.forEach((key, reason) -> {
            if (!key.equals(EXPECTED_FAILURE)) problems.add(key + " failed: " + reason);
        });
        if (!variant.equals("robust")) return problems;
        if (!receiver.rejected.isEmpty()) return receiver.rejected;
        if (!client.failures.containsKey(EXPECTED_FAILURE)) problems.add("no callback reports " + EXPECTED_FAILURE);
        problems.addAll(Sandbox.differences());
        return problems;
    }

    /** Uses six operations. One job fails downstream on purpose. */
    static void work(Client client) {
        client.call("registerUser", "POST", "/projects/north/users", """
            {"username":"m.keller","password":"Secret!1","type":"driver","visibleBy":"HO","access":"DRIVER"}""");
        client.call("asyncImportJobs", "POST", "/async/projects/north/jobs", """
            {"jobs":[{"id":"ORD-1"},{"id":"ORD-2"},{"id":"FAIL-GEOCODE-1"}]}""");
        client.call("asyncImportRoutes", "POST", "/async/projects/north/routes", """
            {"routes":[{"id":"ROUTE-1","jobs":[{"id":"ORD-3"}]}]}""");
        client.call("syncCreateJob", "POST", "/sync/projects/north/jobs", """
            {"id":"ORD-4","status":"PENDING","address":{"streetAddress":"1 Main St"}}""");
        client.call("syncUpdateJob", "PATCH", "/sync/projects/north/jobs", """
            {"id":"ORD-4","status":"DELIVERED"}""");
        for (String time : List.of("09:00", "09:05")) {
            client.call("submitLocation", "POST", "/projects/north/locations", """
                {"deviceId":"VAN-1","eventDateTime":"2026-03-02T%s:00Z","geoJson":{"type":"Point","coordinates":[144.96,-37.81]}}"""
                .formatted(time));
        }
    }

    /** The integration: requests with a timeout and a bounded number of retries. */
    static final class Client {
        static final int MAX_ATTEMPTS = 3;
        static final long TIMEOUT_MS = 500; // For a whole attempt, doubled with each one.
        static final long MAX_WAIT_MS = 2000; // A server that asks for a longer wait is reported instead.
        static final Pattern EXISTS = Pattern.compile("exists already|^its route .* failed$");

        final String weakness;
        final Map<String, String> failures = new ConcurrentHashMap<>();
        final Set<String> uncertainIds = ConcurrentHashMap.newKeySet();
        final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

        Client(String weakness) {
            this.weakness = weakness;
        }

        void call(String operation, String method, String path, String body) {
            boolean isUncertain = false;
            for (int attempt = 1; ; attempt++) {
                if (attempt > 1 && weakness.equals("retries-with-new-ids"))
                    body = body.replaceAll("\"id\":\"(?!FAIL)([^\"]+)\"", "\"id\":\"$1-AGAIN\"");
                Answer answer = tryOnce(method, path, body, TIMEOUT_MS << (attempt - 1));
                if (isSuccess(answer)) {
                    addFailures(operation, answer.body());
                    return;
                }
                if (answer.status() == 409 && isUncertain) return; // An earlier attempt created it.
                if (answer.status() == 0 || answer.status() >= 500) {
                    isUncertain = true;
                    uncertainIds.addAll(Json.idsIn(body));
                }
                long waitMs = Math.max(answer.retryAfterMs(), 50L * attempt);
                if (!isRetried(answer.status()) || attempt == MAX_ATTEMPTS || waitMs > MAX_WAIT_MS)
                    throw new ApiException("%s answered %d: %s (attempt %d)".formatted(operation, answer.status(), answer.body(), attempt));
                pause(waitMs);
            }
        }

        boolean isSuccess(Answer answer) {
            return answer.status() != 0 && (answer.status() < 300 || weakness.equals("ignores-status"));
        }

        static boolean isRetried(int status) {
            return status == 0 || status >= 500 || Set.of(408, 425, 429).contains(status);
        }

        /** Limits the whole attempt: the timeout of an HttpRequest ends with the headers. */
        Answer tryOnce(String method, String path, String body, long timeoutMs) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(Sandbox.URL + path))
                .header("apikey", Sandbox.API_KEY)
                .header("content-type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
            var response = http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
            try {
                HttpResponse<String> got = weakness.equals("no-timeout")
                    ? response.get()
                    : response.get(timeoutMs, TimeUnit.MILLISECONDS);
                long retryAfterMs = got.headers().firstValueAsLong("retry-after").orElse(0) * 1000;
                boolean isComplete = got.statusCode() >= 300 || Json.isValid(got.body());
                return new Answer(isComplete ? got.statusCode() : 0, got.body(), retryAfterMs);
            } catch (TimeoutException error) {
                response.cancel(true);
                return new Answer(0, "no answer in " + timeoutMs + " ms", 0);
            } catch (ExecutionException error) {
                return new Answer(0, String.valueOf(error.getCause()), 0);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }

        /** Keeps the failed entries of a result or a callback: a failure that is reported twice counts once. */
        void addFailures(String operation, String json) {
            Json.failedIn(json).forEach((id, reason) -> {
                boolean isOwnRecord = EXISTS.matcher(reason).find() && uncertainIds.contains(id);
                if (!isOwnRecord) failures.put(operation + " " + id, reason);
            });
        }

        static void pause(long ms) {
            try {
                Thread.sleep(ms);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    /** Status 0: no complete answer. */
    record Answer(int status, String body, long retryAfterMs) {}

    static final class ApiException extends RuntimeException {
        ApiException(String message) {
            super(message);
        }
    }

    /** Receives callbacks: verifies, stores, acknowledges, and only then processes them. */
    static final class Receiver {
        /** The secret that the sandbox publishes: {@code field-sandbox listen --print-secret}. */
        static final String SECRET = "whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=";

        final Map<String, String> stored = new ConcurrentHashMap<>(); // In production: a table with webhook-id as its key.
        final List<String> rejected = new ArrayList<>();
        final Client client;
        final HttpServer server;

        Receiver(Client client) throws IOException {
            this.client = client;
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.createContext("/callbacks", exchange -> {
                try (exchange) {
                    receive(exchange);
                }
            });
            server.setExecutor(Executors.newCachedThreadPool());
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/callbacks";
        }

        synchronized void await(long ms) throws InterruptedException {
            wait(ms);
        }

        synchronized void receive(HttpExchange exchange) throws IOException {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String id = header(exchange, "webhook-id");
            String message = new String(body, StandardCharsets.UTF_8);
            if (!isSigned(exchange, body)) {
                reject(exchange, 401, "callback " + id + " was rejected: its signature is not valid");
            } else if (!Json.isValid(message)) {
                reject(exchange, 400, "callback " + id + " was rejected: its body is not JSON");
            } else {
                boolean isNew = stored.putIfAbsent(id, message) == null;
                exchange.sendResponseHeaders(204, -1);
                if (isNew) client.addFailures(Json.textOf("operation", message), message);
            }
            notifyAll();
        }

        void reject(HttpExchange exchange, int status, String problem) throws IOException {
            rejected.add(problem);
            exchange.sendResponseHeaders(status, -1);
        }

        static String header(HttpExchange exchange, String name) {
            String value = exchange.getRequestHeaders().getFirst(name);
            return value == null ? "" : value;
        }

        /** Returns whether a signature matches the raw bytes of the body, and is recent. */
        static boolean isSigned(HttpExchange exchange, byte[] body) {
            String id = header(exchange, "webhook-id");
            String timestamp = header(exchange, "webhook-timestamp");
            if (id.isEmpty() || !timestamp.matches("[0-9]{1,15}")) return false;
            if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > 300) return false;
            byte[] expected = ("v1," + sign(id + "." + timestamp + ".", body)).getBytes(StandardCharsets.UTF_8);
            return Stream.of(header(exchange, "webhook-signature").split(" "))
                .anyMatch(signature -> MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), expected));
        }

        static String sign(String prefix, byte[] body) {
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(Base64.getDecoder().decode(SECRET.substring("whsec_".length())), "HmacSHA256"));
                mac.update(prefix.getBytes(StandardCharsets.UTF_8));
                return Base64.getEncoder().encodeToString(mac.doFinal(body));
            } catch (java.security.GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    /** What the suite needs of the sandbox's control API. */
    static final class Sandbox {
        static final String URL = System.getenv("SANDBOX_URL");
        static final String API_KEY = System.getenv("SANDBOX_API_KEY");
        static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

        static String control(String method, String path, String body) throws Exception {
            var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
            HttpRequest request = HttpRequest.newBuilder(URI.create(URL + "/_sandbox/projects/" + PROJECT + path))
                .header("content-type", "application/json")
                .method(method, publisher)
                .build();
            return HTTP.send(request, HttpResponse.BodyHandlers.ofString()).body();
        }

        static boolean isPending() throws Exception {
            return !control("GET", "/clock", null).contains("\"pending\":0");
        }

        static List<String> differences() throws Exception {
            Map<String, List<String>> expected = new TreeMap<>(Map.of(
                "jobs", List.of("ORD-1", "ORD-2", "ORD-3", "ORD-4"),
                "routes", List.of("ROUTE-1"),
                "users", List.of("m.keller"),
                "locations", List.of("VAN-1")));
            List<String> problems = new ArrayList<>();
            for (var entry : expected.entrySet()) {
                String items = control("GET", "/" + entry.getKey(), null);
                List<String> found = Json.idsIn(items).stream().sorted().toList();
                if (!found.equals(entry.getValue()))
                    problems.add("stored " + entry.getKey() + ": expected " + entry.getValue() + "; got " + found);
            }
            if (!control("GET", "/jobs/ORD-4", null).contains("\"status\":\"DELIVERED\"")) problems.add("ORD-4 is not delivered");
            if (!control("GET", "/locations/VAN-1", null).contains("09:05")) problems.add("VAN-1 has an old location");
            return problems;
        }
    }

    /** Just enough of JSON: the standard library has none. */
    static final class Json {
        static final String TEXT = "\"((?:[^\"\\\\]|\\\\.)*+)\"";
        static final Pattern FAILED = Pattern.compile("\\{\"id\":" + TEXT + ",\"reason\":" + TEXT + "\\}");
        static final Pattern ID = Pattern.compile("\"(?:id|username|deviceId)\":" + TEXT);

        static Map<String, String> failedIn(String json) {
            Map<String, String> failed = new TreeMap<>();
            for (Matcher match = FAILED.matcher(json); match.find(); ) failed.put(match.group(1), match.group(2));
            return failed;
        }

        static List<String> idsIn(String json) {
            return ID.matcher(json).results().map(match -> match.group(1)).toList();
        }

        static String textOf(String field, String json) {
            Matcher match = Pattern.compile("\"" + field + "\":" + TEXT).matcher(json);
            return match.find() ? match.group(1) : "";
        }

        /** Returns whether a text is an object with all of its brackets: a part of one is not. */
        static boolean isValid(String text) {
            String brackets = text.replaceAll(TEXT, "").replaceAll("[^\\[\\]{}\"]", "");
            for (String shorter = brackets; ; brackets = shorter) {
                shorter = brackets.replace("{}", "").replace("[]", "");
                if (shorter.equals(brackets)) return text.startsWith("{") && brackets.isEmpty();
            }
        }
    }
}
