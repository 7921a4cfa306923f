// Moving as a plugin: the database to PostgreSQL and the files into a bucket, or back.
import { definePlugin } from '../../src/app/plugin.ts'

export const moving = definePlugin({
  name: 'moving',
  commands: { migrate: async () => (await import('./command.ts')).addMigrateCommand },
})
