// The plugin of the responses surface: new responses and kept ones.
import { definePlugin } from '../../src/app/plugin.ts'

export const responses = definePlugin({
  name: 'responses',
  routes: async () => (await import('./routes.ts')).responses,
  reference: async () => (await import('./reference.ts')).reference,
})
