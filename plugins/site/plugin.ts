// What anybody sees of the service as a plugin: the brand.
import { definePlugin } from '../../src/app/plugin.ts'

export const site = definePlugin({
  name: 'site',
  routes: async () => (await import('./routes.ts')).siteRoutes,
  checks: [
    {
      name: 'brand',
      when: ['doctor'],
      needs: 'catalogue',
      look: async (patient) => (await import('./brand-check.ts')).checkBrandFiles(patient),
    },
  ],
})
