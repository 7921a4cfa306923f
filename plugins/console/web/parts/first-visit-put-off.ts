// Whether the first visit was put off, or is over, in this browser.
import { keepIn, keptIn } from '../app/kept.ts'

const KEY = 'tollgate-first-steps'

/** Not shown by itself any more; its page stays. */
export const putOff = (): void => keepIn(KEY, 'put off')
export const isPutOff = (): boolean => keptIn(KEY) !== null
