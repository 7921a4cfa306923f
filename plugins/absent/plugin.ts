// Plugin that refuses paths of providers' APIs that the gateway does not implement.
import { definePlugin } from '../../src/app/plugin.ts'

export const absent = definePlugin({
  name: 'absent',
  routes: async () => (await import('./routes.ts')).absent,
})
