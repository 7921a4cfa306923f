// The page Usage: what an account's calls came to, by day, model and key.
import { ChartColumn, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { type AnswerOf, api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { AccountChoice, ChosenAccount } from '../../parts/account-choice.tsx'
import { useAddressState } from '../../parts/address-state.ts'
import { briefCount, count, roundedUsd } from '../../parts/amounts.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Choices } from '../../parts/choices.tsx'
import { Figure, Figures } from '../../parts/figure.tsx'
import { Money } from '../../parts/money.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { EmptyState, Loaded } from '../../parts/states.tsx'
import { atEnd, type Column, charges, column, Table } from '../../parts/table.tsx'
import { useWhose, type Whose } from '../../parts/whose.ts'

type UsageView = AnswerOf<typeof api.usage.get>
type Sum = UsageView['total']

const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
type Range = (typeof RANGES)[number]['value']

const GROUPS = [
  { value: 'model', label: 'By model' },
  { value: 'key', label: 'By key' },
  { value: 'day', label: 'By day' },
] as const
type Group = (typeof GROUPS)[number]['value']

export default function Usage() {
  const whose = useWhose()
  return (
    <Page
      title="Usage"
      lead="What calls came to. Days begin at midnight UTC; today is one of them."
      actions={whose.account !== undefined && <ChosenAccount {...whose} />}
    >
      {whose.is_operator && whose.account === undefined ? (
        <AccountChoice
          why="Usage is shown by account. That of all together is on the overview."
          onChoose={whose.choose}
        />
      ) : (
        <UsageOf whose={whose} />
      )}
    </Page>
  )
}

function UsageOf({ whose }: { whose: Whose }) {
  const [state, change] = useAddressState({ days: '30', by: 'model', model: '', key: '' })
  const days = RANGES.find(({ value }) => value === state.days)?.value ?? '30'
  const by = GROUPS.find(({ value }) => value === state.by)?.value ?? 'model'
  const { model, key } = state
  const query = useAsk(['usage', whose.account, days, model, key], () =>
    api.usage.get({
      query: {
        ...whose.query,
        days: Number(days),
        model: model || undefined,
        key: key || undefined,
      },
    }),
  )
  return (
    <>
      <div className="row">
        <Choices<Range>
          label="Range"
          options={RANGES}
          value={days}
          onChange={(chosen) => change({ days: chosen })}
        />
        {model !== '' && <Filter name="Model" value={model} onRemove={() => change({ model: undefined })} />}
        {key !== '' && <Filter name="Key" value={key} onRemove={() => change({ key: undefined })} />}
      </div>
      <Loaded query={query} rows={8}>
        {(usage) =>
          usage.total.calls === 0 ? (
            <NoCalls is_filtered={model !== '' || key !== ''} />
          ) : (
            <>
              <Totals total={usage.total} />
              <Chart
                label="Charged by day (UTC)"
                days
                unfinished
                times_ms={usage.days.map(({ day }) => Date.parse(day))}
                series={[{ label: 'Charged', values: usage.days.map(({ cost_nanos }) => cost_nanos) }]}
                format={(nanos) => `${roundedUsd(nanos)} USD`}
                formatAxis={roundedUsd}
              />
              <Section
                title="In parts"
                actions={
                  <Choices<Group>
                    label="Parts"
                    options={GROUPS}
                    value={by}
                    onChange={(chosen) => change({ by: chosen })}
                  />
                }
              >
                <Parts
                  usage={usage}
                  by={by}
                  onModel={(id) => change({ model: id }, { push: true })}
                  onKey={(prefix) => change({ key: prefix }, { push: true })}
                />
              </Section>
            </>
          )
        }
      </Loaded>
    </>
  )
}

function Filter({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <Button small icon={X} onClick={onRemove} aria-label={`Remove the filter ${name} ${value}`}>
      {name} {value}
    </Button>
  )
}

function Totals({ total }: { total: Sum }) {
  return (
    <Figures>
      <Figure label="Charged" value={<Money nanos={total.cost_nanos} />} />
      <Figure
        label="Calls"
        value={count(total.calls)}
        note={total.failed > 0 ? `${count(total.failed)} of them failed or broke off` : 'none failed'}
      />
      <Figure
        label="Tokens"
        value={briefCount(total.input_tokens + total.output_tokens)}
        note={`${briefCount(total.input_tokens)} in, ${briefCount(total.output_tokens)} out`}
      />
      {total.images > 0 && <Figure label="Images" value={count(total.images)} />}
    </Figures>
  )
}

interface PartsProps {
  usage: UsageView
  by: Group
  onModel: (id: string) => void
  onKey: (prefix: string) => void
}

/** The figures of a row, whatever it is of. On a phone, the charge and the number of calls. */
const FIGURES: readonly Column<Sum>[] = [
  charges('cost', 'Charged, USD', 'first-end', ({ cost_nanos }) => cost_nanos),
  atEnd('calls', 'Calls', 'second-end', ({ calls }) => (
    <>
      {count(calls)}
      <span className="on-phone">{calls === 1 ? ' call' : ' calls'}</span>
    </>
  )),
  atEnd('failed', 'Failed', 'none', ({ failed }) => count(failed)),
  atEnd('input', 'Tokens in', 'none', ({ input_tokens }) => count(input_tokens)),
  atEnd('output', 'Tokens out', 'none', ({ output_tokens }) => count(output_tokens)),
  atEnd('images', 'Images', 'none', ({ images }) => count(images)),
]

function Parts({ usage, by, onModel, onKey }: PartsProps) {
  if (by === 'day')
    return (
      <Table
        label="Usage by day"
        rows={usage.days.toReversed()}
        keyOf={({ day }) => day}
        columns={[
          column('day', 'Day', 'first', ({ day }: UsageView['days'][number]) => (
            <span className="no-wrap">{day}</span>
          )),
          ...FIGURES,
        ]}
      />
    )
  if (by === 'key')
    return (
      <>
        <Table
          label="Usage by key"
          rows={usage.keys}
          keyOf={({ key_prefix }) => key_prefix}
          columns={[
            column('key', 'Key', 'first', ({ key, key_prefix }: UsageView['keys'][number]) => (
              <Choice onChoose={() => onKey(key_prefix)}>
                {key} <code className="soft">{key_prefix}</code>
              </Choice>
            )),
            ...FIGURES,
          ]}
        />
        {usage.further_keys > 0 && (
          <p className="soft">{count(usage.further_keys)} further keys cost less.</p>
        )}
      </>
    )
  return (
    <Table
      label="Usage by model"
      rows={usage.models}
      keyOf={({ model }) => model}
      columns={[
        column('model', 'Model', 'first', ({ model }: UsageView['models'][number]) => (
          <Choice onChoose={() => onModel(model)}>{model}</Choice>
        )),
        ...FIGURES,
      ]}
    />
  )
}

/** Shows the usage of this one alone. */
const Choice = ({ onChoose, children }: { onChoose: () => void; children: ReactNode }) => (
  <button type="button" className="text-button" title="Show its usage alone" onClick={onChoose}>
    {children}
  </button>
)

function NoCalls({ is_filtered }: { is_filtered: boolean }) {
  if (is_filtered)
    return <EmptyState title="No call fits">Take a filter away, or look at a longer range.</EmptyState>
  return (
    <EmptyState
      icon={ChartColumn}
      title="There were no calls in this range"
      action={<ButtonLink href="/playground">Try a model in the playground</ButtonLink>}
    >
      What calls cost adds up here, as soon as there are some.
    </EmptyState>
  )
}
