// The provider of a plugin as an upstream, loaded with its first call, since most gateways never call it.
import { SIMULATOR } from '../../catalogue/served.ts'
import type { Plugin } from '../plugin.ts'

/** The `base_url` by which providers name it, and the fetch that reaches it. */
export interface Simulator {
  readonly base_url: string
  fetch(request: Request): Promise<Response>
}

/** The provider of the first plugin that has one. */
export function simulatorOf(plugins: readonly Pick<Plugin, 'provider'>[]): Simulator {
  const load = plugins.find(({ provider }) => provider)?.provider
  let provider: ReturnType<NonNullable<typeof load>> | undefined
  return {
    base_url: SIMULATOR,
    async fetch(request) {
      if (!load) throw new Error(`no plugin answers base_url = "${SIMULATOR}"`)
      provider ??= load()
      return (await provider)(request)
    },
  }
}
