/** The part of Swagger UI that the console uses. Its package contains no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  export interface SwaggerRequest {
    url: string;
    headers: Record<string, string>;
  }
  export interface SwaggerSystem {
    readonly layoutActions: { show(thing: readonly string[], isShown: boolean): void };
    readonly oas3Actions: {
      setRequestBodyValue(body: { readonly pathMethod: readonly string[]; readonly value: string }): void;
      setRetainRequestBodyValueFlag(flag: { readonly pathMethod: readonly string[]; readonly value: boolean }): void;
    };
    preauthorizeApiKey(scheme: string, key: string): void;
  }
  const SwaggerUi: (options: {
    readonly domNode: HTMLElement;
    readonly spec: object;
    readonly plugins: readonly object[];
    readonly onComplete: () => void;
    readonly requestInterceptor: (request: SwaggerRequest) => SwaggerRequest;
    readonly [name: string]: unknown;
  }) => SwaggerSystem;
  export default SwaggerUi;
}
