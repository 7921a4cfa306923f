// A custom plugin, from a file in `data/plugins/`, as the rest of the gateway sees it.
import type { HooksOfPlugin } from '../../src/calls/hooks/registered.ts'

export interface OwnPlugin {
  /** Its file without `.ts`. */
  name: string
  /** In the folder of the plugins. */
  file: string
  /** `GET /hello`, in the order in which it registered them. */
  routes: readonly string[]
  hooks: HooksOfPlugin
}
