// What the server sends: core/figures/browser makes it, pages/components sends it.

export type Side = "row" | "column";
export type Look = "lines" | "compare";

/** The attention of one kind; "weights" are 16-bit codes of (L, names, rows, columns) in base64. */
export interface Kind {
  name: string;
  rows: string[];
  columns: string[];
  row_title: string;
  column_title: string;
  notes: string;
  names: string[];
  roles: string[][];
  first: string;
  highest: number;
  weights: string;
  masked: number;
}

/** The choices that a link keeps: heads as "layer.head", a word as "side.number". */
export interface Choice {
  attention: string;
  heads: string;
  look: Look;
  word: string;
}

/** The palette of attention, from 0 to the highest share, of a light and of a dark page. */
export type Shades = Record<"light" | "dark", string[]>;

export interface StageData {
  kinds: Record<string, Kind>;
  titles: Record<string, string>;
  roles: Record<string, string>;
  colors: { light: string[]; dark: string[]; shades: Shades; strong: number };
  empty: string;
  source: string;
  target: string;
  model: string;
  state: Choice;
  presenting: boolean;
}

export interface Word {
  side: Side;
  index: number;
}

export interface Cell {
  row: number;
  column: number;
}

/**
 * What the stage shows: the visitor's choices; by them, the kind of attention, the weights of each head by its id (row
 * by row; NaN where masked) and the heads shown large; and the head and the word under the mouse or the focus.
 * The kind is missing until the server has sent it.
 */
export interface StageState {
  data: StageData;
  colors: string[]; // of the heads that are compared
  shades: string[]; // of weights
  choice: Choice;
  kind: Kind | undefined;
  values: Map<string, Float32Array>;
  kept: string[];
  preview: string | null;
  pointed: Word | null;
}

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

/** What the layout of the stage depends on: the words, the font size, and the room for it, all in pixels. */
export interface Sheet {
  kind: Kind;
  unit: number;
  width: number;
  room: number;
  widthOf: (text: string) => number;
}

/** Whoever reads: the language's code, the texts of a module by their English, and how numbers are written. */
export interface Reader {
  language: string;
  words: Record<string, string>;
  decimal: string;
  percent: string;
}

/** What a component tells the server: a state stays until it changes, a trigger is gone after one run. */
export interface Send {
  state: (name: string, value: unknown) => void;
  trigger: (name: string, value: unknown) => void;
}

/** What Streamlit passes at each run of the page. */
export interface Run {
  data: { reader: Reader; shown: any };
  parentElement: HTMLElement;
  setStateValue: Send["state"];
  setTriggerValue: Send["trigger"];
}

/** How every component begins: it draws into a place until it is disposed of. */
export type Mount<Data> = (place: HTMLElement, data: Data, send: Send) => Component<Data>;
export interface Component<Data> {
  update: (data: Data) => void;
  dispose: () => void;
}

export interface Curves {
  epochs: number[];
  loss: number[];
  held_out: number[];
  accuracy: number[];
}

/** A translation: indices into "words", and their probabilities in thousandths. */
export interface Answer {
  words: number[];
  p: number[];
  right: boolean;
  open: boolean;
}

/** The model after some epochs; "cross" has the weights of each sentence as bytes in base64, row by row. */
export interface Snapshot {
  epoch: number;
  answers: Answer[];
  cross: string[];
}

export interface PlayerData {
  sentences: { source: string; columns: string[]; rows: string[]; never: boolean; wanted: boolean }[];
  words: string[];
  snapshots: Snapshot[];
  heads: number;
  head: number;
  curves: Curves;
  before: Curves & { name: string };
  run: string;
  running: boolean;
  total: number;
  label: string;
  shades: Shades;
  presenting: boolean;
}

export type ModelSide = "source" | "target";
export type AttentionName = "encoder" | "decoder" | "cross";

/** The arcs of a kind of attention, from the keys of a side to the queries of one. */
export interface Arcs {
  keys: ModelSide;
  from: string;
  queries: ModelSide;
  to: string;
  move: "attention" | "cross";
  color: string;
}

/** A sentence in the model, from core/figures/browser/living_picture.py, which says what the arrays hold. */
export interface Picture {
  source: string[];
  target: string[];
  layers: number;
  heads: number;
  width: number;
  channels: number;
  weights: Record<AttentionName, string>;
  levels: { encoder: string; decoder: string };
  inputs: { encoder: number[]; decoder: number[] };
  candidates: [string, number][][];
}

/** The progress of each movement of a side, 0 to 1, and its layer. */
export interface Progress {
  words: number;
  vectors: number;
  positions: number;
  entered: number;
  attention: number;
  cross: number;
  forward: number;
  crosses: number;
  bars: number;
  drop: number;
  layer: number;
}

/** A phase of living.toml. */
export interface Phase {
  side: ModelSide;
  when: string;
  layer?: string;
  begins?: boolean;
  ms: number;
  moves: Record<string, [number, number]>;
  lights: string[];
  title: string;
  sentence: string;
}

export interface Step extends Phase {
  round: number;
  before: Record<ModelSide, Progress>;
}

export interface Scene extends Record<ModelSide, Progress> {
  round: number;
  isEnd: boolean;
  hasBegun: boolean;
}

export interface LivingBox {
  name: string;
  title: string;
  color: string;
  label: string;
}

/** The numbers of an open box; "cells" of each row of the panel by token, line and column. */
export interface Detail {
  name: string;
  title: string;
  labels: string[];
  heads: string[];
  cells: string[][][];
  fixed?: [string, string][];
  shares?: number[][];
  above?: string[];
  below?: string[];
}

export interface LivingData {
  id: string;
  picture: Picture | null;
  texts: { box: LivingBox[]; phase: Phase[] };
  moment: string;
  quiet: boolean;
  detail: Detail | null;
  presenting: boolean;
}

export interface LivingWord {
  side: ModelSide;
  index: number;
  token: string;
  button: HTMLButtonElement;
}

/** What is drawn at one time: the model's numbers, the movements, the head (0: their mean) and the word in focus. */
export interface Frame {
  counts: Record<ModelSide, number>;
  weights: Record<AttentionName, Uint8Array>;
  picture: Picture;
  scene: Scene;
  head: number;
  focus: { side: ModelSide; index: number } | null;
}

/** Where the living picture is: step and share of it, head, the open box, the words in focus. */
export interface LivingState {
  step: number;
  share: number;
  head: number;
  opened: string;
  openLayer: number;
  pinned: LivingWord | null;
  pointed: LivingWord | null;
}

// A phone in a room: what pages/components/room/phone.py says.

/** A text in its parts: the name of an element, which may be empty, and what is in it. */
export type Marked = ["" | "code" | "em" | "strong" | "sub" | "sup", string][];

/** A question; `votes` come once its teacher shows them, `right` and `why` once it is solved. */
export interface PhoneQuestion {
  key: string;
  text: Marked;
  options: Marked[];
  kind: string; // how it is answered: phone_question.js has a box for each
  box?: Record<string, any>; // what its box needs to know
  is_final?: boolean; // whether the first answer stands
  note: string;
  before: string; // what is said above the answers
  vote?: number; // which one it is, from 1
  votes?: number[][];
  right?: number;
  why?: Marked;
}

/** One's own answer: the option of now and of each vote, or the typed number; what is said to it at once. */
export interface PhoneAnswer {
  now?: number;
  votes?: (number | null)[];
  typed?: string;
  said?: Marked;
}

export interface PhoneRemote {
  here: number;
  task: Marked; // of the step, as the teacher has it
  about: string;
  trouble: string; // why a key is missing
  acts: { act: string; label: string; is_main: boolean }[];
  sentences: { number: number; text: string }[]; // that wait for the teacher
  counts: Record<string, { votes: number[][]; right: number; options: Marked[] }>; // by the questions' keys
}

export interface PhoneNews {
  state?: { step: string; title: string; task: Marked; model: string; asked: PhoneQuestion[]; is_at_end: boolean;
    languages: [string, string]; open: string; answers: string; translate?: string; ended: boolean; is_out: boolean };
  own?: {
    answers: Record<string, PhoneAnswer>;
    sentences: { source: string; target: string; fate: string; written: string }[];
    remote?: PhoneRemote;
  };
  said?: string; // about what was just sent
  at?: number; // seconds: when the server has said it
  boot?: string; // of the server, which counts the seconds anew when it starts again
  problem?: string;
  again?: boolean; // many come in; in a moment, it will work
  elsewhere?: string; // the room is open in another tab
  go?: string; // the room's own address
  enter?: string; // the server has a class code; what was wrong with the last one
}

export interface PhoneAct {
  act: string;
  key?: string;
  vote?: number;
  answer?: string | number;
  source?: string;
  target?: string;
}

// A page that needs no server: what pages/components/one_page/page.py says.

/** The fields of a model's config that a page computes with; pages/components/one_page/model.py refuses other values. */
export interface ModelConfig {
  num_layers: number;
  num_heads: number;
  d_model: number;
  max_source_length: number;
  max_target_length: number;
  positional_encoding: "sinusoidal" | "learned" | "rotary" | "none";
  activation: "relu" | "gelu" | "swiglu";
  norm: "post" | "pre";
  norm_kind: "layer" | "rms";
  tie_embeddings: boolean;
}

/** Weights by name, as in core/weights.py. */
export type Weights = Record<string, Float32Array>;

/** Is told a result by its name, as in core/model/forward.py. */
export type See = (name: string, value: () => Float32Array) => void;

/** A tokenizer: its kind and its tokens in the order of their ids. */
export interface TokenizerData {
  kind: "word" | "character";
  tokens: string[];
}

/** A model in a page, but for its weights: their names and sizes in order, what a kind of attention is called, with its
 * rows and columns, and the head to show first. */
export interface PageModelData {
  config: ModelConfig;
  source: TokenizerData;
  target: TokenizerData;
  weights: [string, number][];
  kinds: Record<AttentionName, string[]>;
  first: Record<AttentionName, string>;
}

/** A sentence with its translation, each step's likeliest tokens with their probabilities, and all attention. */
export interface Shown {
  source: string;
  target: string;
  written: string[];
  steps: [string, number][][];
  kinds: Record<string, Kind>;
  unknown: string[];
  is_finished: boolean;
}

/** A question that the page checks: "said" about each option. */
export interface PageQuestion extends PhoneQuestion {
  right_option: number;
  said: Marked[];
  plain: string;
  plain_options: string[];
}

export interface PageTask {
  title: string;
  steps: { title: string; task: Marked; questions: PageQuestion[] }[];
}

/** A page: with a model, or with a sentence that the server has computed. */
export interface PageData {
  reader: Reader;
  name: string;
  model: PageModelData | null;
  sentence: Shown | null;
  first: string; // in the box
  examples: string[];
  about: string[];
  pairs: [string, string][];
  titles: Record<string, string>;
  roles: Record<string, string>;
  colors: StageData["colors"];
  choice: Choice;
  task: PageTask | null;
}
