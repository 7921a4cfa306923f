// The demo provider as a plugin: it answers for providers with `base_url = "simulator"`.
import { definePlugin } from '../../src/app/plugin.ts'

export const demo = definePlugin({
  name: 'demo',
  provider: async () => (await import('./provider.ts')).provide,
})
