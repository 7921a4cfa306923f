// A process that submits many holds at once, and prints how many were admitted. Arguments: database, as a file or an address; count.
import { openLedger } from '../../../src/money/ledger/ledger.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { hold } from './world.ts'

const [path = '', holds = '0'] = process.argv.slice(2)
const ledger = path.startsWith('postgres:') ? openSharedLedger(path) : openLedger({ path })
let admitted = 0
// In small groups, so that the transactions of the processes alternate.
for (let submitted = 0; submitted < Number(holds); submitted += 10) {
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => ledger.submit(hold(10))))
  admitted += outcomes.filter(({ ok }) => ok).length
}
await ledger.close()
process.stdout.write(String(admitted))
