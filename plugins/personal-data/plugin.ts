// Export and erasure of personal data as a plugin: two commands of `account`.
import { definePlugin } from '../../src/app/plugin.ts'

export const personalData = definePlugin({
  name: 'personal-data',
  commands: { account: async () => (await import('./command.ts')).addExportAndErase },
})
