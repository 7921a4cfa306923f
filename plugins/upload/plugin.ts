// The upload surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'

export const upload = definePlugin({
  name: 'upload',
  routes: async () => (await import('./routes.ts')).upload,
})
