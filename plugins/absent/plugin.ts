// Paths of other providers' APIs that are not served here, as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const absent = definePlugin({
  name: 'absent',
  routes: async () => (await import('./routes.ts')).absent,
})
