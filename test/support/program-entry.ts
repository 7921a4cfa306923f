// The executable of the tests' programs (programs.ts): the gateway, or the program that the first argument names.
import './strict-provider.ts'
import { PROGRAM_MARK, type ProgramName } from './programs.ts'

const OTHERS: Readonly<Record<Exclude<ProgramName, 'gateway'>, () => Promise<unknown>>> = {
  'as-user': () => import('./as-user.ts'),
  'crash-server': () => import('../crash/server.ts'),
  'crash-library': () => import('../library/crash-process.ts'),
  'crash-responses': () => import('../kept-responses/crash-process.ts'),
  'fill-responses': () => import('../kept-responses/fill.ts'),
  'killed-import': () => import('../import/killed-process.ts'),
  'killed-payment': () => import('../payments/killed-process.ts'),
  'several-gateway': () => import('../several/process.ts'),
}

const [, , first = ''] = process.argv
const named = first.startsWith(PROGRAM_MARK) ? first.slice(PROGRAM_MARK.length) : undefined
if (named !== undefined) process.argv.splice(2, 1)
await (named === undefined ? import('../../src/main.ts') : OTHERS[named as keyof typeof OTHERS]())
