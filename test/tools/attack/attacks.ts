// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'
import { bodies } from './bodies.ts'
import { bombs } from './bombs.ts'
import { dearMedia } from './dear-media.ts'
import { deepAnswers } from './deep-answers.ts'
import { diskFull } from './disk-full.ts'
import { endlessReaders } from './endless-readers.ts'
import { globs } from './globs.ts'
import { imageHeaders } from './image-headers.ts'
import { keptAnswers } from './kept-answers.ts'
import { kills } from './kills.ts'
import { leaveEarly } from './leave-early.ts'
import { leaveKinds } from './leave-kinds.ts'
import { lockOut } from './lock-out.ts'
import { lyingUsage } from './lying-usage.ts'
import { manyBodies } from './many-bodies.ts'
import { manyParts } from './many-parts.ts'
import { millionCalls } from './million-calls.ts'
import { missingFiles } from './missing-files.ts'
import { movedDatabase } from './moved-database.ts'
import { oldHistory } from './old-history.ts'
import { pdfDigits } from './pdf-digits.ts'
import { pipelining } from './pipelining.ts'
import { refusalFlood } from './refusal-flood.ts'
import { soak } from './soak.ts'
import { socketBusyHalves } from './socket-busy-halves.ts'
import { socketCrowd } from './socket-crowd.ts'
import { socketHalves } from './socket-halves.ts'
import { socketKeys } from './socket-keys.ts'
import { socketMessages } from './socket-messages.ts'
import { socketReaders } from './socket-readers.ts'
import { socketUnpaid } from './socket-unpaid.ts'
import { stalledReaders } from './stalled-readers.ts'
import { tinyEvents } from './tiny-events.ts'
import { uncountedInput } from './uncounted-input.ts'
import { writeLock } from './write-lock.ts'

export const ATTACKS: readonly Attack[] = [
  writeLock,
  diskFull,
  movedDatabase,
  kills,
  globs,
  lockOut,
  leaveEarly,
  leaveKinds,
  lyingUsage,
  uncountedInput,
  dearMedia,
  keptAnswers,
  missingFiles,
  imageHeaders,
  bodies,
  bombs,
  manyBodies,
  manyParts,
  pdfDigits,
  pipelining,
  deepAnswers,
  tinyEvents,
  millionCalls,
  oldHistory,
  refusalFlood,
  soak,
  stalledReaders,
  endlessReaders,
  socketCrowd,
  socketHalves,
  socketBusyHalves,
  socketMessages,
  socketKeys,
  socketReaders,
  socketUnpaid,
]
