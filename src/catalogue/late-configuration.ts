// The catalogue file of a gateway, as the console reads and edits it: its code is loaded when it is first asked for, once the gateway serves.
import { atFirstUse } from '../utilities/at-first-use.ts'
import type { Configuration, ConfigurationParts } from './configuration.ts'

/** As `createConfiguration`. */
export function lateConfiguration(parts: ConfigurationParts): Configuration {
  const load = atFirstUse(async () => (await import('./configuration.ts')).createConfiguration(parts))
  return {
    path: parts.path,
    read: async () => (await load()).read(),
    check: async (draft) => (await load()).check(draft),
    save: async (draft, hash, made_by, request_id) => (await load()).save(draft, hash, made_by, request_id),
    noticed: async (text) => (await load()).noticed(text),
    revive: async (text) => (await load()).revive(text),
  }
}
