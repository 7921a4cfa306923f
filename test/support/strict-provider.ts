// The strict simulated providers in place of the demo, in every gateway and command of this process: tests are refused what real providers refuse.
import { demo } from '../../plugins/demo/plugin.ts'

/** The product's own, for tests of it. */
export const { provider: loadDemo } = demo

const loadStrict: typeof loadDemo = async () => {
  const { createSimulator } = await import('../providers/index.ts')
  return createSimulator().fetch
}

Object.assign(demo, { provider: loadStrict })
