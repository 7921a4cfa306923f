// The chat completions surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const chat = definePlugin({
  name: 'chat',
  routes: async () => (await import('./routes.ts')).chat,
  reference: async () => (await import('./reference.ts')).reference,
})
