// Keys for other plugins: the fields of a key in `--json`, which `account show` also prints.
export { keyFields } from './list.ts'
