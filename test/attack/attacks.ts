// All attacks, in the order in which they are run.
import type { Attack } from './attack.ts'
import { imageHeaders } from './image-headers.ts'
import { keptAnswers } from './kept-answers.ts'
import { missingFiles } from './missing-files.ts'

export const ATTACKS: readonly Attack[] = [keptAnswers, missingFiles, imageHeaders]
