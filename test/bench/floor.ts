/** The floor: express with its JSON parser, which answers every request without looking at it. */
import express from 'express';

const app = express();
app.use(express.json({ limit: '16mb' }));
app.use((_request, response) => void response.json({}));
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`${JSON.stringify({ event: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});
