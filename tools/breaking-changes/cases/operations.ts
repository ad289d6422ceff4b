import { push, remove, set } from '../edit.ts'
import { type Case, operatorCase, publicCase } from './case.ts'

const list = 'paths /nations get'
const parameter = `${list} parameters`

export const operations: Case[] = [
  publicCase(
    'an operation is removed',
    remove('paths /nations'),
    'nations.list: GET /nations is removed',
    set('paths /new', { get: { operationId: 'new', responses: {} } }),
  ),
  operatorCase(
    'a method of a path is removed',
    remove('paths /keys get'),
    'keys.list: GET /keys is removed',
    set('paths /keys patch', { operationId: 'keys.change', responses: {} }),
  ),
  publicCase(
    'an operation has another id',
    set(`${list} operationId`, 'nations.all'),
    'nations.list: is renamed nations.all',
  ),
  publicCase(
    'an operation requires a scope',
    set(`${list} x-scope`, 'nation.read'),
    'nations.list: requires the scope nation.read, not none',
    set('paths /me/nation get x-scope', 'none'),
  ),
  publicCase(
    'a section requires another scope',
    set('paths /me/nation get x-include-scopes military', 'economy.read'),
    'me.nation: include=military requires the scope economy.read, not military.read',
    set('paths /me/nation get x-include-scopes new', 'economy.read'),
  ),
  publicCase(
    'anonymous requests are refused',
    remove(`${list} security 0`),
    'nations.list: requires bearer',
    push('paths /me/nation get security', {}),
  ),
  operatorCase(
    'a role may not call an operation any more',
    remove('paths /facts post x-roles facts'),
    'facts.send: is closed to the role facts',
    push('paths /keys post x-roles', 'identity'),
  ),
]

export const parameters: Case[] = [
  publicCase(
    'a parameter is removed',
    remove(`${parameter} search`),
    'nations.list: parameter search is removed',
    push(parameter, { name: 'new', in: 'query', schema: { type: 'string' } }),
  ),
  publicCase(
    'a parameter is renamed',
    set(`${parameter} search name`, 'text'),
    'nations.list: parameter search is removed',
  ),
  publicCase(
    'a required parameter is added',
    push(parameter, { name: 'new', in: 'query', required: true, schema: { type: 'string' } }),
    'nations.list: parameter new is required',
  ),
  publicCase(
    'a parameter becomes required',
    set(`${parameter} search required`, true),
    'nations.list: parameter search is required',
    set('paths /nations/{id} get parameters id required', false),
  ),
  publicCase(
    'the maximum of a parameter is lowered',
    set(`${parameter} limit schema maximum`, 50),
    'nations.list: parameter limit has a smaller maximum',
    set(`${parameter} limit schema maximum`, 500),
  ),
  publicCase(
    'a parameter gets a minimum',
    set(`${parameter} limit schema exclusiveMinimum`, 5),
    'nations.list: parameter limit has a larger exclusiveMinimum',
    remove(`${parameter} min_score schema minimum`),
  ),
  publicCase(
    'a parameter takes fewer items',
    set(`${parameter} ids schema maxItems`, 10),
    'nations.list: parameter ids has a smaller maxItems',
    remove(`${parameter} ids schema maxItems`),
  ),
  publicCase(
    'the items of a parameter get another pattern',
    set(`${parameter} ids schema items pattern`, '^n'),
    'nations.list: parameter ids[] has another pattern',
    remove(`${parameter} ids schema items pattern`),
  ),
  publicCase(
    'a parameter gets a format',
    set(`${parameter} search schema format`, 'email'),
    'nations.list: parameter search has another format',
  ),
  publicCase(
    'a number must be an integer',
    set(`${parameter} min_score schema type`, 'integer'),
    'nations.list: parameter min_score does not accept number',
    set(`${parameter} limit schema type`, 'number'),
  ),
  publicCase(
    'the default of a parameter is changed',
    set(`${parameter} limit schema default`, 10),
    'nations.list: parameter limit has the default 10, not 25',
  ),
  publicCase(
    'the default of a parameter is removed',
    remove(`${parameter} limit schema default`),
    'nations.list: parameter limit has the default undefined, not 25',
  ),
  publicCase(
    'a value of a parameter is removed',
    remove(`${parameter} status schema enum inactive`),
    'nations.list: parameter status does not accept "inactive"',
    push(`${parameter} status schema enum`, 'dreaming'),
  ),
  publicCase(
    'a parameter accepts listed values only',
    set(`${parameter} search schema enum`, ['a']),
    'nations.list: parameter search accepts listed values only',
    remove(`${parameter} status schema enum`),
  ),
  publicCase(
    'a parameter is serialized in another way',
    set(`${parameter} ids explode`, true),
    'nations.list: parameter ids is serialized in another way',
  ),
]
