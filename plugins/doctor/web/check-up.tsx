// The check-up on the System page: a button, and a table of findings with how to fix them.
import { Stethoscope } from 'lucide-react'
import { useState } from 'react'
import type { Diagnosis } from '../../../src/app/checks/check.ts'
import { announce } from '../../console/web/app/announce.ts'
import { api, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { counted } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import { type Column, column, Table } from '../../console/web/parts/table.tsx'
import { Words } from '../../console/web/parts/words.tsx'
import type { DoctorReport } from '../report.ts'

const TONES: Record<Diagnosis['level'], Tone> = { ok: 'good', warn: 'warn', fail: 'bad' }
const WORDS: Record<Diagnosis['level'], string> = { ok: 'ok', warn: 'warning', fail: 'failed' }

const COLUMNS: Column<Diagnosis>[] = [
  column('check', 'Looked at', 'first', ({ check }) => check),
  column('level', 'State', 'first-end', ({ level }) => <Status tone={TONES[level]}>{WORDS[level]}</Status>),
  column('found', 'Found', 'second', (finding) => <Found {...finding} />),
]

export function CheckUp() {
  const [report, setReport] = useState<DoctorReport | null>(null)
  const { run, busy } = useAction({
    async work() {
      const report = await send(api.doctor.post())
      setReport(report)
      announce(report.healthy ? 'Nothing failed.' : 'Check finished: problems found.')
      return report
    },
    changes: [],
  })
  return (
    <Section
      title="Check-up"
      actions={
        <Button icon={Stethoscope} busy={busy} onClick={() => run(undefined)}>
          {busy ? 'Checking' : 'Check'}
        </Button>
      }
    >
      <p className="soft">
        {report === null
          ? 'Checks the catalogue, data folder, database, disk, certificate and clock, and sends each provider a free request.'
          : summary(report)}
      </p>
      {report && (
        <Table
          label="Check results"
          columns={COLUMNS}
          rows={report.findings}
          keyOf={({ check, found }) => `${check} ${found}`}
        />
      )}
      <AsCommand command="tollgate doctor" />
    </Section>
  )
}

const Found = ({ found, advice }: Pick<Diagnosis, 'found' | 'advice'>) => (
  <div className="doctor-finding">
    <p>
      <Words>{found}</Words>
    </p>
    {advice !== null && (
      <p className="soft">
        <Words>{advice}</Words>
      </p>
    )}
  </div>
)

function summary({ findings }: DoctorReport): string {
  const of = (level: Diagnosis['level']) => findings.filter((finding) => finding.level === level).length
  return `${counted(findings.length, 'finding')}: ${of('fail')} failed, ${counted(of('warn'), 'warning')}.`
}
