// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'

export const ATTACKS: readonly Attack[] = []
