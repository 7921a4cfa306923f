// The responses surface as a plugin: new responses, and kept ones.
import { Elysia } from 'elysia'
import { definePlugin } from '../../src/app/plugin.ts'

export const responses = definePlugin({
  name: 'responses',
  async routes() {
    const [{ responses }, { storedResponses }] = await Promise.all([
      import('./routes.ts'),
      import('./stored.ts'),
    ])
    // Beside each other: hooks of the one would reach the routes of the other inside it.
    return (gateway) =>
      new Elysia({ name: 'responses: new and kept' }).use(responses(gateway)).use(storedResponses(gateway))
  },
  reference: async () => (await import('./reference.ts')).reference,
})
