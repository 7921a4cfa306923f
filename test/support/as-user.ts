// Runs the program as another user; only root can do this: `bun as-user.ts UID ARGUMENTS…`.
import { join } from 'node:path'
import './strict-provider.ts'

const [runtime = '', , uid = '', ...args] = process.argv
const id = Number(uid)
process.setgroups?.([])
process.setgid?.(id)
process.setuid?.(id)
process.argv = [runtime, join(import.meta.dir, '../../src/main.ts'), ...args]
await import('../../src/main.ts')
