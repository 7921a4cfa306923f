// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'
import { leaveEarly } from './leave-early.ts'
import { lyingUsage } from './lying-usage.ts'

export const ATTACKS: readonly Attack[] = [leaveEarly, lyingUsage]
