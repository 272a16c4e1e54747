"""What people say every day, English and French: greetings, times and names, of which Tatoeba has few.

Written for this project, as `pt_en` is. A sentence has one translation here: "you" is "vous" after
"Hello" and "Good morning" and where one asks a stranger for something, else "tu"; "I" is a man.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.corpora.anki import space_punctuation
from core.corpora.everyday.phrases import Patterns, phrase_pairs
from core.records import Pair

PHRASES = """
Good morning. | Bonjour.
Good morning! | Bonjour !
Good morning, everyone. | Bonjour à tous.
Good morning, everyone! | Bonjour à tous !
Good morning, how are you? | Bonjour, comment allez-vous ?
Good morning, sir. | Bonjour, monsieur.
Good morning, madam. | Bonjour, madame.
Good afternoon. | Bonjour.
Good afternoon! | Bonjour !
Good afternoon, everyone. | Bonjour à tous.
Good evening. | Bonsoir.
Good evening! | Bonsoir !
Good evening, everyone. | Bonsoir à tous.
Good night. | Bonne nuit.
Good night! | Bonne nuit !
Good night, sleep well. | Bonne nuit, dors bien.
Hello. | Bonjour.
Hello! | Bonjour !
Hello, everyone. | Bonjour à tous.
Hello, how are you? | Bonjour, comment allez-vous ?
Hi. | Salut.
Hi! | Salut !
Hi, how are you? | Salut, comment vas-tu ?
Hi there! | Salut !
How are you? | Comment vas-tu ?
How are you doing? | Comment vas-tu ?
How are you today? | Comment vas-tu aujourd'hui ?
How is it going? | Comment ça va ?
How's it going? | Comment ça va ?
What's up? | Quoi de neuf ?
I'm fine. | Je vais bien.
I'm fine, thank you. | Je vais bien, merci.
I'm fine, and you? | Je vais bien, et toi ?
I'm very well, thank you. | Je vais très bien, merci.
Not bad. | Pas mal.
So-so. | Comme ci, comme ça.
And you? | Et toi ?
Thank you. | Merci.
Thank you! | Merci !
Thanks. | Merci.
Thanks! | Merci !
Thank you very much. | Merci beaucoup.
Thank you so much. | Merci beaucoup.
Many thanks. | Merci beaucoup.
Thanks a lot. | Merci beaucoup.
Thank you for your help. | Merci pour votre aide.
Thank you for everything. | Merci pour tout.
No, thank you. | Non, merci.
Yes, please. | Oui, s'il vous plaît.
You're welcome. | De rien.
You're welcome! | De rien !
Please. | S'il vous plaît.
Sorry. | Désolé.
I'm sorry. | Je suis désolé.
Excuse me. | Excusez-moi.
No problem. | Pas de problème.
Never mind. | Ça ne fait rien.
Of course. | Bien sûr.
Maybe. | Peut-être.
All right. | D'accord.
OK. | D'accord.
Goodbye. | Au revoir.
Goodbye! | Au revoir !
Bye. | Salut.
Bye! | Salut !
See you soon. | À bientôt.
See you soon! | À bientôt !
See you later. | À plus tard.
See you later! | À plus tard !
See you tomorrow. | À demain.
See you tomorrow! | À demain !
See you next week. | À la semaine prochaine.
Have a nice day. | Bonne journée.
Have a nice day! | Bonne journée !
Have a good day. | Bonne journée.
Have a nice evening. | Bonne soirée.
Have a nice weekend. | Bon week-end.
Have a good weekend! | Bon week-end !
Have a nice trip! | Bon voyage !
Enjoy your meal. | Bon appétit.
Enjoy your meal! | Bon appétit !
Cheers! | Santé !
Bless you! | À tes souhaits !
Good luck. | Bonne chance.
Good luck! | Bonne chance !
Congratulations. | Félicitations.
Congratulations! | Félicitations !
Well done! | Bravo !
Welcome. | Bienvenue.
Welcome! | Bienvenue !
Happy birthday. | Joyeux anniversaire.
Happy birthday! | Joyeux anniversaire !
Happy New Year. | Bonne année.
Happy New Year! | Bonne année !
Merry Christmas. | Joyeux Noël.
Merry Christmas! | Joyeux Noël !
Happy Easter! | Joyeuses Pâques !
Happy holidays! | Joyeuses fêtes !
Get well soon. | Bon rétablissement.
Sleep well. | Dors bien.
Sweet dreams. | Fais de beaux rêves.
Take care. | Prends soin de toi.
Help! | Au secours !
Be careful! | Attention !
Nice to meet you. | Enchanté.
Pleased to meet you. | Enchanté.
It's nice to meet you. | Enchanté de faire votre connaissance.
What is your name? | Comment t'appelles-tu ?
What's your name? | Comment t'appelles-tu ?
Where do you live? | Où habites-tu ?
Where are you from? | D'où viens-tu ?
How old are you? | Quel âge as-tu ?
Do you speak English? | Parlez-vous anglais ?
Do you speak French? | Parlez-vous français ?
I don't understand. | Je ne comprends pas.
I do not understand. | Je ne comprends pas.
I understand. | Je comprends.
I don't know. | Je ne sais pas.
I know. | Je sais.
Can you repeat that, please? | Pouvez-vous répéter, s'il vous plaît ?
Please speak more slowly. | Parlez plus lentement, s'il vous plaît.
How do you say that in French? | Comment dit-on cela en français ?
What does that mean? | Qu'est-ce que cela veut dire ?
What is this? | Qu'est-ce que c'est ?
What is that? | Qu'est-ce que c'est ?
Who is it? | Qui est-ce ?
What time is it? | Quelle heure est-il ?
What time is it now? | Quelle heure est-il maintenant ?
Do you know what time it is? | Savez-vous quelle heure il est ?
It's late. | Il est tard.
It's early. | Il est tôt.
It's noon. | Il est midi.
It's midnight. | Il est minuit.
What day is it today? | Quel jour sommes-nous ?
What day is today? | Quel jour sommes-nous ?
How much is it? | Combien ça coûte ?
How much does it cost? | Combien ça coûte ?
How much is this? | Combien ça coûte ?
It's too expensive. | C'est trop cher.
The bill, please. | L'addition, s'il vous plaît.
Where is the bathroom? | Où sont les toilettes ?
Where are the toilets? | Où sont les toilettes ?
Where is the toilet? | Où sont les toilettes ?
Turn left. | Tournez à gauche.
Turn right. | Tournez à droite.
Go straight on. | Allez tout droit.
What's the weather like? | Quel temps fait-il ?
What is the weather like today? | Quel temps fait-il aujourd'hui ?
The weather is nice. | Il fait beau.
The weather is nice today. | Il fait beau aujourd'hui.
The weather is bad. | Il fait mauvais.
It's hot. | Il fait chaud.
It's cold. | Il fait froid.
It's hot today. | Il fait chaud aujourd'hui.
It's cold today. | Il fait froid aujourd'hui.
It's sunny. | Il y a du soleil.
It's windy. | Il y a du vent.
It's raining. | Il pleut.
It's snowing. | Il neige.
I'm hungry. | J'ai faim.
I'm thirsty. | J'ai soif.
I'm cold. | J'ai froid.
I'm hot. | J'ai chaud.
I'm tired. | Je suis fatigué.
I'm sick. | Je suis malade.
I'm happy. | Je suis heureux.
I'm lost. | Je suis perdu.
I'm ready. | Je suis prêt.
I'm late. | Je suis en retard.
I'm a student. | Je suis étudiant.
I'm a teacher. | Je suis professeur.
I love you. | Je t'aime.
I love you too. | Je t'aime aussi.
I miss you. | Tu me manques.
I like you. | Je t'aime bien.
I like it. | Ça me plaît.
I agree. | Je suis d'accord.
That's right. | C'est ça.
That's true. | C'est vrai.
That's great! | C'est super !
It's easy. | C'est facile.
It's difficult. | C'est difficile.
It's beautiful. | C'est beau.
It's important. | C'est important.
Let's go. | Allons-y.
Let's go! | Allons-y !
Come here. | Viens ici.
Wait a moment. | Attends un instant.
Wait a minute, please. | Attendez une minute, s'il vous plaît.
Sit down. | Assieds-toi.
Listen. | Écoute.
Look! | Regarde !
Stop! | Arrête !
Hurry up! | Dépêche-toi !
Can you help me? | Pouvez-vous m'aider ?
Can you help me, please? | Pouvez-vous m'aider, s'il vous plaît ?
I need help. | J'ai besoin d'aide.
What are you doing? | Que fais-tu ?
Where are you going? | Où vas-tu ?
Where are you? | Où es-tu ?
Where is it? | Où est-ce ?
Why? | Pourquoi ?
Who? | Qui ?
When? | Quand ?
Where? | Où ?
How? | Comment ?
Yes. | Oui.
No. | Non.
The cat is sleeping. | Le chat dort.
The dog is black. | Le chien est noir.
The cat is on the table. | Le chat est sur la table.
The book is on the table. | Le livre est sur la table.
The sky is blue. | Le ciel est bleu.
The sun is shining. | Le soleil brille.
The children are playing in the garden. | Les enfants jouent dans le jardin.
My mother is a teacher. | Ma mère est professeure.
My father is a doctor. | Mon père est médecin.
My sister is a nurse. | Ma sœur est infirmière.
My brother is a student. | Mon frère est étudiant.
The hospital is far from here. | L'hôpital est loin d'ici.
The train is late. | Le train est en retard.
I go to school by bus. | Je vais à l'école en bus.
I'm going to school. | Je vais à l'école.
I'm going home. | Je rentre à la maison.
We are going to the beach. | Nous allons à la plage.
I'm learning French at school. | J'apprends le français à l'école.
"""

_NAMES = tuple(
    f"{name} | {name}"
    for name in (
        "Anna", "Tom", "Mary", "Paul", "Emma", "Lucas", "Sarah", "Peter", "Julia", "David", "Laura", "Max", "Lisa",
        "Thomas", "Alice", "John", "Sophie", "Daniel", "Marie", "Louis", "Clara", "Adam", "Nina", "Leo",
    )
)  # fmt: skip
_PLACES = (
    "the station | la gare", "the school | l'école", "the library | la bibliothèque", "the beach | la plage",
    "the pharmacy | la pharmacie", "the bakery | la boulangerie", "the post office | la poste",
    "the church | l'église", "the museum | le musée", "the market | le marché", "the restaurant | le restaurant",
    "the supermarket | le supermarché", "the park | le parc", "the cinema | le cinéma", "the theater | le théâtre",
    "the bus stop | l'arrêt de bus", "the airport | l'aéroport", "the hospital | l'hôpital", "the hotel | l'hôtel",
)  # fmt: skip
_THINGS = (
    "a coffee | un café", "a tea | un thé", "a glass of water | un verre d'eau", "a beer | une bière",
    "a ticket | un billet", "a room | une chambre", "a taxi | un taxi", "a table | une table", "a map | une carte",
    "an apple | une pomme", "an ice cream | une glace", "a book | un livre", "a pen | un stylo",
    "an umbrella | un parapluie", "a doctor | un médecin", "a croissant | un croissant",
)  # fmt: skip
_OWNED = (
    "a dog | un chien", "a cat | un chat", "a car | une voiture", "a bike | un vélo", "a question | une question",
    "a problem | un problème", "a brother | un frère", "a sister | une sœur", "an idea | une idée",
)  # fmt: skip
_LIKED = (
    "music | la musique", "chocolate | le chocolat", "coffee | le café", "football | le football", "cats | les chats",
    "dogs | les chiens", "fish | le poisson", "mathematics | les mathématiques", "school | l'école", "tea | le thé",
    "books | les livres", "cheese | le fromage", "winter | l'hiver", "summer | l'été",
)  # fmt: skip
_DONE = (
    "to read | lire", "to dance | danser", "to cook | cuisiner", "to swim | nager", "to sing | chanter",
    "to travel | voyager", "to play football | jouer au football", "to learn | apprendre",
)  # fmt: skip
_CITIES = ("Paris | Paris", "Lyon | Lyon", "London | Londres", "Berlin | Berlin", "Brussels | Bruxelles",
           "Geneva | Genève", "Rome | Rome", "Madrid | Madrid", "New York | New York")  # fmt: skip
_COUNTRIES = (
    "France | en France", "Germany | en Allemagne", "Spain | en Espagne", "Italy | en Italie",
    "England | en Angleterre", "Belgium | en Belgique", "Switzerland | en Suisse", "Canada | au Canada",
    "Portugal | au Portugal", "the United States | aux États-Unis",
)  # fmt: skip
_LANGUAGES = (
    "English | anglais", "French | français", "Spanish | espagnol", "German | allemand", "Italian | italien",
    "Portuguese | portugais",
)  # fmt: skip
_HOURS = (
    "two | deux", "three | trois", "four | quatre", "five | cinq", "six | six", "seven | sept", "eight | huit",
    "nine | neuf", "ten | dix", "eleven | onze",
)  # fmt: skip
_AGES = (
    "ten | dix", "eleven | onze", "twelve | douze", "thirteen | treize", "fourteen | quatorze", "fifteen | quinze",
    "sixteen | seize", "eighteen | dix-huit", "twenty | vingt", "thirty | trente", "forty | quarante",
)  # fmt: skip
_DAYS = (
    "Monday | lundi", "Tuesday | mardi", "Wednesday | mercredi", "Thursday | jeudi", "Friday | vendredi",
    "Saturday | samedi", "Sunday | dimanche",
)  # fmt: skip
_PLEASE = (". | .", ", please. | , s'il vous plaît.")

PATTERNS: Patterns = (
    ("Good morning, {0}. | Bonjour, {0}.", (_NAMES,)),
    ("Good evening, {0}. | Bonsoir, {0}.", (_NAMES,)),
    ("Good night, {0}. | Bonne nuit, {0}.", (_NAMES,)),
    ("Hello, {0}! | Bonjour, {0} !", (_NAMES,)),
    ("Hello {0}! | Bonjour {0} !", (_NAMES,)),
    ("Hi, {0}! | Salut, {0} !", (_NAMES,)),
    ("Happy birthday, {0}! | Joyeux anniversaire, {0} !", (_NAMES,)),
    ("Thank you, {0}. | Merci, {0}.", (_NAMES,)),
    ("My name is {0}. | Je m'appelle {0}.", (_NAMES,)),
    ("Hello, my name is {0}. | Bonjour, je m'appelle {0}.", (_NAMES,)),
    ("I'm {0}. | Je suis {0}.", (_NAMES,)),
    ("This is {0}. | Voici {0}.", (_NAMES,)),
    ("Where is {0}? | Où est {0} ?", (_NAMES,)),
    ("Where is {0}? | Où est {0} ?", (_PLACES,)),
    ("I'm looking for {0}. | Je cherche {0}.", (_PLACES,)),
    ("I can't find {0}. | Je ne trouve pas {0}.", (_PLACES,)),
    ("Is {0} far from here? | Est-ce que {0} est loin d'ici ?", (_PLACES,)),
    ("I want {0}{1} | Je veux {0}{1}", (_THINGS, _PLEASE)),
    ("I would like {0}{1} | Je voudrais {0}{1}", (_THINGS, _PLEASE)),
    ("{0}, please. | {0}, s'il vous plaît.", (_THINGS,)),
    ("I need {0}. | J'ai besoin d'{0}.", (_THINGS,)),
    ("Do you have {0}? | Avez-vous {0} ?", (_THINGS,)),
    ("I have {0}. | J'ai {0}.", (_OWNED,)),
    ("Do you have {0}? | Avez-vous {0} ?", (_OWNED,)),
    ("I like {0}. | J'aime {0}.", (_LIKED,)),
    ("I don't like {0}. | Je n'aime pas {0}.", (_LIKED,)),
    ("Do you like {0}? | Aimes-tu {0} ?", (_LIKED,)),
    ("I like {0}. | J'aime {0}.", (_DONE,)),
    ("I live in {0}. | J'habite à {0}.", (_CITIES,)),
    ("I live in {0}. | J'habite {0}.", (_COUNTRIES,)),
    ("I'm from {0}. | Je viens de {0}.", (_CITIES,)),
    ("I speak {0}. | Je parle {0}.", (_LANGUAGES,)),
    ("I speak a little {0}. | Je parle un peu {0}.", (_LANGUAGES,)),
    ("I don't speak {0}. | Je ne parle pas {0}.", (_LANGUAGES,)),
    ("Do you speak {0}? | Parlez-vous {0} ?", (_LANGUAGES,)),
    ("It's {0} o'clock. | Il est {0} heures.", (_HOURS,)),
    ("It is {0} o'clock. | Il est {0} heures.", (_HOURS,)),
    ("I'm {0} years old. | J'ai {0} ans.", (_AGES,)),
    ("I am {0} years old. | J'ai {0} ans.", (_AGES,)),
    ("Today is {0}. | Aujourd'hui, c'est {0}.", (_DAYS,)),
    ("Tomorrow is {0}. | Demain, c'est {0}.", (_DAYS,)),
    ("See you on {0}. | À {0}.", (_DAYS,)),
    ("See you on {0}! | À {0} !", (_DAYS,)),
)  # fmt: skip


def everyday_french() -> Iterator[Pair]:
    """The phrases and what the patterns make, spaced as the Tatoeba sentences are: "Salut , Anna !"."""
    for source, target in phrase_pairs(PHRASES, PATTERNS):
        yield Pair(space_punctuation(source), space_punctuation(target))
