// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'
import { bodies } from './bodies.ts'
import { bombs } from './bombs.ts'
import { soak } from './soak.ts'
import { stalledReaders } from './stalled-readers.ts'

export const ATTACKS: readonly Attack[] = [bombs, stalledReaders, bodies, soak]
