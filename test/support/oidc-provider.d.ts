// Types for the used part of oidc-provider, which has no type definitions.
declare module 'oidc-provider' {
  export class Provider {
    constructor(issuer: string, configuration: object)
    use(middleware: (context: { path: string }, next: () => Promise<void>) => Promise<void>): void
    callback(): (...request: unknown[]) => void
  }
}
