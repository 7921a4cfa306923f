// The plugin of the API reference.
import { definePlugin } from '../../src/app/plugin.ts'

export const docs = definePlugin({
  name: 'docs',
  routes: async () => (await import('./routes.ts')).docs,
})
