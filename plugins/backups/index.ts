// Backups for personal data: the place of [backup], where archives still have what is erased.
export { configuredPlace, type WhereOptions, whereOptions } from './places/where.ts'
