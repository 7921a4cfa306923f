// Replaces the demo provider by the strict simulated providers in all gateways of this process, so that they refuse what real providers refuse.
import { demo } from '../../plugins/demo/plugin.ts'

/** The product's own provider, for tests of it. */
export const { provider: loadDemo } = demo

const loadStrict: typeof loadDemo = async () => {
  const { createSimulator } = await import('../providers/index.ts')
  return createSimulator().fetch
}

Object.assign(demo, { provider: loadStrict })
