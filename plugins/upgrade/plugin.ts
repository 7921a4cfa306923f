// Upgrading as a plugin: a checked executable of another version in the place of this one.
import { definePlugin } from '../../src/app/plugin.ts'

export const upgrade = definePlugin({
  name: 'upgrade',
  commands: { upgrade: async () => (await import('./command.ts')).addUpgradeCommand },
})
