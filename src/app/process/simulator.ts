// The simulated provider of a plugin as an upstream, loaded with its first call, since most gateways never call it.
import { SIMULATOR } from '../../catalogue/served.ts'

/** Loads a provider inside this process: a function that answers requests, whose path follows `base_url`. */
export type LoadProvider = () => Promise<(request: Request) => Promise<Response>>

/** The `base_url` of a provider inside this process, and the fetch that reaches it. */
export interface Simulator {
  readonly base_url: string
  fetch(request: Request): Promise<Response>
}

/** Returns the provider of the first plugin that has one. */
export function simulatorOf(plugins: readonly { provider: LoadProvider | undefined }[]): Simulator {
  const load = plugins.find(({ provider }) => provider)?.provider
  let provider: ReturnType<LoadProvider> | undefined
  return {
    base_url: SIMULATOR,
    async fetch(request) {
      if (!load) throw new Error(`no plugin answers base_url = "${SIMULATOR}"`)
      provider ??= load()
      return (await provider)(request)
    },
  }
}
