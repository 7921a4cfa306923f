// A process that kills itself (SIGKILL) at a named point of its second commit, which changes the state of order 1. Arguments: database, point.

import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { hold, openDebt, post } from './world.ts'

const LOST = { table: 'orders', id: 1, from: ['disputed'], to: 'lost', source: 'poll' } as const
const [path = '', fatal = ''] = process.argv.slice(2)
let commits = 0
const writer = createWriter(openDatabase(path), (point) => {
  if (point === 'batch.started') commits += 1
  if (commits === 2 && point === fatal) process.kill(process.pid, 'SIGKILL')
})
writer.commit([hold(60), hold(30)])
writer.commit([post(1, 50), hold(5), { ...openDebt(8, 1, 'user 1'), changes: [LOST] }])
process.stdout.write('survived')
