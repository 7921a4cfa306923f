// The live feed plugin: events as calls are held, answered and settled, for callers and for the console.
import { definePlugin } from '../../src/app/plugin.ts'

export const liveFeed = definePlugin({
  name: 'live-feed',
  open: async (gateway) => (await import('./others-calls.ts')).openActivity(gateway),
  routes: async () => {
    const { callersFeedRoutes } = await import('./callers-feed.ts')
    return (gateway, { activity }) => callersFeedRoutes(gateway, activity)
  },
  console_routes: async () => {
    const { liveRoutes } = await import('./console.ts')
    return (gateway, { activity }) => liveRoutes(gateway, activity)
  },
  close: ({ close }) => close(),
})
