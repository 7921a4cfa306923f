// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'
import { millionCalls } from './million-calls.ts'

export const ATTACKS: readonly Attack[] = [millionCalls]
