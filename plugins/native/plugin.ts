// The native generation surface as a plugin.
import { definePlugin } from '../../src/app/plugin.ts'
import { nativeSettings } from './settings.ts'

export const native = definePlugin({
  name: 'native',
  settings: nativeSettings,
  routes: async () => (await import('./routes.ts')).native,
  reference: async () => (await import('./reference.ts')).reference,
})
