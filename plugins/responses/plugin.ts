// The responses surface as a plugin: new responses, and kept ones.
import { definePlugin } from '../../src/app/plugin.ts'

export const responses = definePlugin({
  name: 'responses',
  async routes() {
    const [{ responses }, { storedResponses }] = await Promise.all([
      import('./routes.ts'),
      import('./stored.ts'),
    ])
    return (gateway) => responses(gateway).use(storedResponses(gateway))
  },
})
