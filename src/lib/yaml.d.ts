/** Declares the modules that the build creates from the repository's YAML files, see config/yaml-plugin.ts. */
declare module '*.yaml' {
  const value: unknown;
  export default value;
  export const text: string;
}

declare module 'virtual:shipped-scenarios' {
  const shipped: readonly { readonly file: string; readonly text: string; readonly value: unknown }[];
  export default shipped;
}
