// Where drills unpack archives. Those of processes that are gone are removed by a start or the next drill: they hold the keys of the providers.
import { tmpdir } from 'node:os'
import type { WorkPlace } from '../../../src/store/work-folder.ts'

export const drillWork = (): WorkPlace => ({ parent: tmpdir(), prefix: 'tollgate-verify-' })
