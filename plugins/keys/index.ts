// A key in `--json`, which `account show` has as well.
export { keyFields } from './list.ts'
