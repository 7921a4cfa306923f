// The temporary folders of trial restores. They hold the providers' keys, so a start or the next trial removes those of dead processes.
import { tmpdir } from 'node:os'
import type { WorkLocation } from '../../../src/store/work-folder.ts'

export const drillWork = (): WorkLocation => ({ parent: tmpdir(), prefix: 'tollgate-verify-' })
