// Upgrades as a plugin: the command `upgrade`.
import { definePlugin } from '../../src/app/plugin.ts'

export const upgrade = definePlugin({
  name: 'upgrade',
  commands: { upgrade: async () => (await import('./command.ts')).addUpgradeCommand },
})
