// The built-in simulator as an upstream, loaded with its first call, since most gateways never call it.
import { SIMULATOR } from '../../catalogue/served.ts'

/** @returns the `base_url` by which providers name the simulator, and the fetch that reaches it */
export function lazySimulator() {
  let simulator: ReturnType<typeof load> | undefined
  const load = async () => (await import('../../../test/providers/index.ts')).createSimulator({})
  return {
    base_url: SIMULATOR,
    async fetch(request: Request): Promise<Response> {
      simulator ??= load()
      return (await simulator).fetch(request)
    },
  }
}
