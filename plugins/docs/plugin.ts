// The reference of the API as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const docs = definePlugin({
  name: 'docs',
  routes: async () => (await import('./routes.ts')).docs,
})
