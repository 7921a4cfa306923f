// The part of oidc-provider's types that tests use: it has none of its own.
declare module 'oidc-provider' {
  export class Provider {
    constructor(issuer: string, configuration: object)
    use(middleware: (context: { path: string }, next: () => Promise<void>) => Promise<void>): void
    callback(): (...request: unknown[]) => void
  }
}
