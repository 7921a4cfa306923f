// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'
import { bodies } from './bodies.ts'
import { bombs } from './bombs.ts'
import { diskFull } from './disk-full.ts'
import { imageHeaders } from './image-headers.ts'
import { keptAnswers } from './kept-answers.ts'
import { kills } from './kills.ts'
import { leaveEarly } from './leave-early.ts'
import { lyingUsage } from './lying-usage.ts'
import { millionCalls } from './million-calls.ts'
import { missingFiles } from './missing-files.ts'
import { soak } from './soak.ts'
import { stalledReaders } from './stalled-readers.ts'
import { writeLock } from './write-lock.ts'

export const ATTACKS: readonly Attack[] = [
  writeLock,
  diskFull,
  kills,
  leaveEarly,
  lyingUsage,
  keptAnswers,
  missingFiles,
  imageHeaders,
  bodies,
  bombs,
  millionCalls,
  soak,
  stalledReaders,
]
