// The demo provider's plugin: it answers requests to providers with `base_url = "simulator"`.
import { definePlugin } from '../../src/app/plugin.ts'

export const demo = definePlugin({
  name: 'demo',
  provider: async () => (await import('./provider.ts')).provide,
})
