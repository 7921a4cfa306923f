// The script of the pricing page: it filters the models and sorts their tables. Without it the page shows all of them.

/** Sent unchanged: it must run in browsers without a build. */
export const SCRIPT = `'use strict'
const search = document.querySelector('search')
const field = search?.querySelector('input')
const state = search?.querySelector('[role=status]')
const sections = [...document.querySelectorAll('main section')]

function filter() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
  let found = 0
  for (const section of sections) {
    let shown = 0
    for (const row of section.querySelectorAll('tbody tr')) {
      const text = row.textContent.toLowerCase()
      row.hidden = !words.every((word) => text.includes(word))
      if (!row.hidden) shown += 1
    }
    section.hidden = shown === 0
    found += shown
  }
  state.textContent = words.length === 0 ? '' : found === 0 ? 'No models found.' : found === 1 ? '1 model found.' : found + ' models found.'
}

if (field) {
  search.hidden = false
  field.addEventListener('input', filter)
  // A browser may have kept what was typed before.
  filter()
}

function compare(one, other) {
  const [first, second] = [Number(one), Number(other)]
  return Number.isNaN(first) || Number.isNaN(second) ? one.localeCompare(other) : first - second
}

for (const table of document.querySelectorAll('table')) {
  const heads = [...table.tHead.rows[0].cells]
  for (const [index, head] of heads.entries()) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = head.textContent
    head.replaceChildren(button)
    button.addEventListener('click', () => {
      const descending = head.getAttribute('aria-sort') === 'ascending'
      for (const each of heads) each.removeAttribute('aria-sort')
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending')
      const body = table.tBodies[0]
      const sorted = [...body.rows].sort((one, other) => compare(one.cells[index].dataset.value, other.cells[index].dataset.value))
      body.append(...(descending ? sorted.reverse() : sorted))
    })
  }
}
`
