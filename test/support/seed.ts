// The seed of random tests, one for all of a run: `TOLLGATE_SEED` repeats it.
import fc from 'fast-check'

export const SEED = Number(process.env.TOLLGATE_SEED ?? Math.floor(Math.random() * 2 ** 32))

fc.configureGlobal({ seed: SEED | 0 })
