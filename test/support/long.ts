// Whether this is a long run (`bun run test:long`): it does what takes too long for every change.
export const IS_LONG = process.env.TOLLGATE_LONG === '1'
